import type { Option } from "../model/Content.ts"
export const matchMenu = (_o: ReadonlyArray<Option>, _b: string, _p: string | undefined): number | undefined => undefined
