/** Flow documents: JSON that compiles to flows, checked before it runs. */
export { compileExpression, type Expression, type ExpressionOptions } from "./expr/Expression.ts"
export { ExpressionError } from "./expr/ExpressionError.ts"
export { compileTemplate, type Template } from "./expr/Template.ts"
