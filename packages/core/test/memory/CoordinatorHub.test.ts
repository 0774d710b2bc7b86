import { CoordinatorSuite } from "@botmesh/core/testing"
import * as CoordinatorHub from "../../src/memory/CoordinatorHub.ts"

const layer = CoordinatorHub.layer(CoordinatorHub.make())

CoordinatorSuite.suite("memory hub", layer, { simulate: true })
