import { Effect } from "effect"
import { createServer } from "node:net"
import { ServiceError } from "./ServiceError.ts"

/** A TCP port of the loopback that nobody listens on just now. */
export const freePort: Effect.Effect<number, ServiceError> = Effect.callback((resume) => {
  const server = createServer()
  server.once("error", (error) => resume(Effect.fail(new ServiceError({ message: error.message, cause: error }))))
  server.listen(0, "127.0.0.1", () => {
    const address = server.address()
    server.close(() =>
      resume(
        typeof address === "object" && address !== null
          ? Effect.succeed(address.port)
          : Effect.fail(new ServiceError({ message: "the system named no port" }))
      )
    )
  })
})

/** A free port whose number plus 10,000 is a port too: a cluster node listens on both. */
export const freeClusterPort: Effect.Effect<number, ServiceError> = Effect.flatMap(freePort, (port) =>
  port < 55_000 ? Effect.succeed(port) : freeClusterPort
)
