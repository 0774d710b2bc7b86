import type { CoreTexts } from "./CoreTexts.ts"

export const spanish: CoreTexts = {
  "core.conversation.timeout": "Se acabó el tiempo de espera. Escríbeme cuando quieras y empezamos de nuevo.",
  "core.conversation.gave-up": "No entendí tus respuestas, así que lo dejamos aquí. Escríbeme cuando quieras.",
  "core.conversation.interrupted": "Nuestra conversación se interrumpió. Empecemos de nuevo, por favor.",
  "core.answer.invalid": "Esa respuesta no es válida. Inténtalo otra vez, por favor.",
  "core.answer.text": "Respóndeme con un texto, por favor.",
  "core.answer.media": "Respóndeme con un archivo, por favor.",
  "core.answer.number": "Escribe un número con cifras y sin separador de miles, por favor.",
  "core.answer.integer": "Escribe un número entero, por favor.",
  "core.answer.between": "Tiene que estar entre {minimum} y {maximum}.",
  "core.answer.at-least": "Tiene que ser al menos {minimum}.",
  "core.answer.at-most": "Tiene que ser como máximo {maximum}.",
  "core.answer.too-short": "Es demasiado corto: hacen falta al menos {minimum} caracteres.",
  "core.answer.too-long": "Es demasiado largo: caben como máximo {maximum} caracteres.",
  "core.answer.yes-no": "Responde sí o no, por favor.",
  "core.answer.date": "Escribe una fecha como 31/12/2026, por favor.",
  "core.answer.choose": "Elige una de las opciones, por favor.",
  "core.answer.choose-among": "Elige una de estas opciones, por favor: {options}",
  "core.handler.failed": "Lo siento, algo salió mal. Inténtalo otra vez dentro de un momento.",
  "core.cancelled": "Cancelado.",
  "core.back": "Volvamos a la pregunta anterior.",
  "core.back-none": "No hay ninguna pregunta anterior.",
  "core.words.cancel": "cancelar, cancela",
  "core.words.back": "atrás, volver",
  "core.words.yes": "sí, s, claro, verdadero, true",
  "core.words.no": "no, n, falso, false"
}
