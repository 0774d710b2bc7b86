import type { CoreTexts } from "./CoreTexts.ts"

export const portuguese: CoreTexts = {
  "core.conversation.timeout": "O tempo de espera acabou. Escreva quando quiser e recomeçamos.",
  "core.conversation.gave-up":
    "Não consegui entender as suas respostas, então ficamos por aqui. Escreva quando quiser.",
  "core.conversation.interrupted": "A nossa conversa foi interrompida. Vamos recomeçar, por favor.",
  "core.answer.invalid": "Essa resposta não é válida. Tente de novo, por favor.",
  "core.answer.text": "Responda com um texto, por favor.",
  "core.answer.media": "Responda com um arquivo, por favor.",
  "core.answer.number": "Escreva um número em algarismos e sem separador de milhar, por favor.",
  "core.answer.integer": "Escreva um número inteiro, por favor.",
  "core.answer.between": "Tem de estar entre {minimum} e {maximum}.",
  "core.answer.at-least": "Tem de ser pelo menos {minimum}.",
  "core.answer.at-most": "Tem de ser no máximo {maximum}.",
  "core.answer.too-short": "É curto demais: são precisos pelo menos {minimum} caracteres.",
  "core.answer.too-long": "É longo demais: cabem no máximo {maximum} caracteres.",
  "core.answer.yes-no": "Responda sim ou não, por favor.",
  "core.answer.date": "Escreva uma data como 31/12/2026, por favor.",
  "core.answer.choose": "Escolha uma das opções, por favor.",
  "core.answer.choose-among": "Escolha uma destas opções, por favor: {options}",
  "core.handler.failed": "Desculpe, algo deu errado. Tente de novo daqui a pouco.",
  "core.cancelled": "Cancelado.",
  "core.back": "Voltemos à pergunta anterior.",
  "core.back-none": "Não há nenhuma pergunta anterior.",
  "core.words.cancel": "cancelar, cancela",
  "core.words.back": "voltar, atrás",
  "core.words.yes": "sim, s, claro, verdadeiro, true",
  "core.words.no": "não, n, falso, false"
}
