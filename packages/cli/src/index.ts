/** The `botmesh` command. Programs start it with `main()`; its parts are for those who put it into a command of their own. */
export { botmesh, main } from "./Main.ts"
