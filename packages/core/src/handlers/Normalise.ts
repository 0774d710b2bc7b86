export { isSameText, normalise } from "../model/Normalise.ts"
