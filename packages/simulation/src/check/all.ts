/** Every checker, by the invariant it judges (design.md 8). Each is a pure fold over the history. */
import type { Checker } from "../History.ts"
import { i1 } from "./I1.ts"
import { i2 } from "./I2.ts"
import { i3 } from "./I3.ts"
import { i4 } from "./I4.ts"
import { i5 } from "./I5.ts"
import { i6 } from "./I6.ts"
import { i7 } from "./I7.ts"
import { i8 } from "./I8.ts"
import { i12 } from "./I12.ts"
import { i13 } from "./I13.ts"
import { i14 } from "./I14.ts"
import { i15 } from "./I15.ts"
import { i17 } from "./I17.ts"
import { i18 } from "./I18.ts"
import { i21 } from "./I21.ts"
import { i23 } from "./I23.ts"
import { i24 } from "./I24.ts"
import { i25 } from "./I25.ts"

export const checkers: ReadonlyArray<{ readonly invariant: string; readonly check: Checker }> = [
  { invariant: "I1", check: i1 },
  { invariant: "I2", check: i2 },
  { invariant: "I3", check: i3 },
  { invariant: "I4", check: i4 },
  { invariant: "I5", check: i5 },
  { invariant: "I6", check: i6 },
  { invariant: "I7", check: i7 },
  { invariant: "I8", check: i8 },
  { invariant: "I12", check: i12 },
  { invariant: "I13", check: i13 },
  { invariant: "I14", check: i14 },
  { invariant: "I15", check: i15 },
  { invariant: "I17", check: i17 },
  { invariant: "I18", check: i18 },
  { invariant: "I21", check: i21 },
  { invariant: "I23", check: i23 },
  { invariant: "I24", check: i24 },
  { invariant: "I25", check: i25 }
]
