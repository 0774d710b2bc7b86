/** A TCP proxy between a client and its server, for faults on the wire. */
import { Effect, type Scope } from "effect"
import { connect, createServer, type Server, type Socket } from "node:net"
import { ServiceError } from "./ServiceError.ts"

export interface Proxy {
  readonly port: number
  /** Cuts every connection now; new ones are taken. */
  readonly cut: Effect.Effect<void>
  /**
   * The next bytes that match are still passed to the server, then the connection is cut before an answer comes back:
   * the act is done, its reply lost.
   */
  readonly loseReplyTo: (request: RegExp) => void
  /** True while a request that was asked for has not come by yet. */
  readonly isWaiting: () => boolean
  /** Passes nothing in either direction; the sockets stay open. */
  readonly hold: Effect.Effect<void>
  readonly flow: Effect.Effect<void>
}

const listening = (server: Server): Effect.Effect<number, ServiceError> =>
  Effect.callback((resume) => {
    server.once("error", (error) => resume(Effect.fail(new ServiceError({ message: error.message, cause: error }))))
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      resume(
        typeof address === "object" && address !== null
          ? Effect.succeed(address.port)
          : Effect.fail(new ServiceError({ message: "the system named no port" }))
      )
    })
  })

/** A proxy to a port of this machine, until the scope closes. */
export const proxy = Effect.fn("TestServices.proxy")(function* (
  target: number
): Effect.fn.Return<Proxy, ServiceError, Scope.Scope> {
  const open = new Set<Socket>()
  let losing: RegExp | undefined
  let held = false
  const keep = (socket: Socket): void => {
    open.add(socket)
    socket.on("close", () => open.delete(socket))
    // A cut connection errs at both ends; the close that follows says it all.
    socket.on("error", () => socket.destroy())
    if (held) socket.pause()
  }
  const server = createServer((client) => {
    const upstream = connect(target, "127.0.0.1")
    let mute = false
    keep(client)
    keep(upstream)
    client.on("data", (bytes) => {
      upstream.write(bytes)
      if (losing?.test(bytes.toString("latin1")) !== true) return
      losing = undefined
      mute = true
    })
    upstream.on("data", (bytes) => {
      if (mute) client.destroy()
      else client.write(bytes)
    })
    client.on("close", () => upstream.destroy())
    upstream.on("close", () => client.destroy())
  })
  const cut = Effect.sync(() => {
    for (const socket of [...open]) socket.destroy()
  })
  const port = yield* Effect.acquireRelease(listening(server), () =>
    Effect.andThen(
      cut,
      Effect.sync(() => server.close())
    )
  )
  return {
    port,
    cut,
    loseReplyTo: (request) => {
      losing = request
    },
    isWaiting: () => losing !== undefined,
    hold: Effect.sync(() => {
      held = true
      for (const socket of open) socket.pause()
    }),
    flow: Effect.sync(() => {
      held = false
      for (const socket of open) socket.resume()
    })
  }
})
