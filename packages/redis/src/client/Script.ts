/** A Lua script as its file's header describes it: the names of its KEYS and ARGV in order, and of those that repeat. */
export interface Script<
  Keys extends string,
  Args extends string,
  EachKeys extends string = never,
  EachArgs extends string = never
> {
  readonly name: string
  readonly sha: string
  readonly lua: string
  readonly keys: ReadonlyArray<Keys>
  readonly args: ReadonlyArray<Args>
  /** KEYS and ARGV that come once for each item of a batch, after the others. */
  readonly eachKeys: ReadonlyArray<EachKeys>
  readonly eachArgs: ReadonlyArray<EachArgs>
}

/** What Redis takes as an argument. */
export type Value = string | number | Buffer

export type Items<EachKeys extends string, EachArgs extends string> = ReadonlyArray<
  Readonly<Record<EachKeys, string> & Record<EachArgs, Value>>
>

/** A descriptor with its names as types. */
export const script = <
  const Keys extends string,
  const Args extends string,
  const EachKeys extends string,
  const EachArgs extends string
>(
  descriptor: Script<Keys, Args, EachKeys, EachArgs>
): Script<Keys, Args, EachKeys, EachArgs> => descriptor

/** The number of keys, then keys and arguments in the order the script takes them. */
export const parameters = <Keys extends string, Args extends string, EachKeys extends string, EachArgs extends string>(
  taken: Script<Keys, Args, EachKeys, EachArgs>,
  keys: Readonly<Record<Keys, string>>,
  args: Readonly<Record<Args, Value>>,
  each: Items<EachKeys, EachArgs>
): [number, ...Array<Value>] => {
  const all: [number, ...Array<Value>] = [taken.keys.length + each.length * taken.eachKeys.length]
  for (const name of taken.keys) all.push(keys[name])
  for (const item of each) for (const name of taken.eachKeys) all.push(item[name])
  for (const name of taken.args) all.push(args[name])
  for (const item of each) for (const name of taken.eachArgs) all.push(item[name])
  return all
}
