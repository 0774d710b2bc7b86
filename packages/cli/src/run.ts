/** The program behind `botmesh`. */
import { main } from "./Main.ts"

main()
