/**
 * What the Bot API accepts, as data. Source: limits published for the Bot API; a change there is a change of one line here.
 */
export const limits = {
  /** UTF-16 code units of one text message. */
  text: 4096,
  /** UTF-16 code units under a media. */
  caption: 1024,
  /** UTF-8 bytes behind one button. */
  callbackData: 64,
  /** Buttons of one inline keyboard. */
  buttons: 100,
  pollQuestion: 300,
  pollOptions: { min: 2, max: 12 },
  pollOption: 100,
  /** Bytes a bot may upload; photos have a smaller one. */
  upload: 50 * 1024 * 1024,
  uploadPhoto: 10 * 1024 * 1024,
  /** Bytes a bot may download. */
  download: 20 * 1024 * 1024,
  /** Bytes of one webhook body that are read. */
  webhookBody: 1024 * 1024,
  /** Updates of one `getUpdates`. */
  batch: 100,
  secret: /^[A-Za-z0-9_-]{1,256}$/u
} as const
