/** What a command says when it cannot do what was asked: in words that tell what to do, without a stack. */
import { CliError } from "effect/cli"

export const refused = (text: string): CliError.UserError => new CliError.UserError({ cause: text })
