import { MemoryStore } from "@botmesh/core"
import { StoreSuite } from "@botmesh/core/testing"

StoreSuite.suite("memory", MemoryStore.layer())
