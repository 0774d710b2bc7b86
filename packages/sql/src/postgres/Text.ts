/**
 * Postgres' text holds any character but U+0000. That one is written as U+0001 "0", and U+0001 itself as U+0001 "1", so
 * that whatever a person can send is stored as it came.
 */
const written = /[\u0000\u0001]/u
const codes: Readonly<Record<string, string>> = { "\u0000": "\u00010", "\u0001": "\u00011" }

export const encodeText = (value: string): string =>
  written.test(value) ? value.replaceAll(/[\u0000\u0001]/gu, (character) => codes[character] ?? character) : value

export const decodeText = (value: string): string =>
  value.includes("\u0001") ? value.replaceAll(/\u0001(.)/gu, (_, code) => (code === "0" ? "\u0000" : "\u0001")) : value
