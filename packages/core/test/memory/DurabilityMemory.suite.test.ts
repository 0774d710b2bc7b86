import { DurabilityMemory } from "@botmesh/core"
import { DurabilitySuite } from "@botmesh/core/testing"

DurabilitySuite.suite("memory", DurabilityMemory.layer())
