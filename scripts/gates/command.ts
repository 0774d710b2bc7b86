import { spawn } from "node:child_process"
import { delimiter, join } from "node:path"

export interface Result {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface Options {
  readonly cwd: string
  /** The workspace root whose `node_modules/.bin` comes first on the PATH; `cwd` when absent. */
  readonly tools?: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a program to its end and returns its exit code and output; fails only when it cannot be started. */
export const command = (program: string, args: ReadonlyArray<string>, options: Options): Promise<Result> =>
  new Promise((resolve, reject) => {
    const bin = join(options.tools ?? options.cwd, "node_modules", ".bin")
    const child = spawn(program, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env, PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}` },
      stdio: ["ignore", "pipe", "pipe"]
    })
    const out: Array<Buffer> = []
    const err: Array<Buffer> = []
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk))
    child.stderr.on("data", (chunk: Buffer) => err.push(chunk))
    child.on("error", reject)
    child.on("close", (code, signal) => {
      const stderr = Buffer.concat(err).toString("utf8")
      resolve({
        code: code ?? 1,
        stdout: Buffer.concat(out).toString("utf8"),
        stderr: signal === null ? stderr : `${stderr}\nended by ${signal}`
      })
    })
  })

/** The problems of a program that prints them and exits non-zero: everything it said, or its exit code if it said nothing. */
export const complaints = (result: Result): ReadonlyArray<string> => {
  if (result.code === 0) return []
  const said = `${result.stdout}\n${result.stderr}`.trim()
  return [said === "" ? `exit code ${result.code}` : said]
}
