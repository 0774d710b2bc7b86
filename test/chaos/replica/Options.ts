export interface ReplicaOptions {
  readonly name: string
  /** The transport's. */
  readonly port: number
  readonly redis: { readonly url: string; readonly cluster?: boolean; readonly sentinel?: string }
  /** ms. */
  readonly lease: number
}
