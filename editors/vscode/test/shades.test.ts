import assert from "node:assert/strict";
import test from "node:test";
import { shadeOf } from "../src/shades";

test("colors show heat, and with a baseline only the direction of the change", () => {
  assert.deepEqual(shadeOf({ tier: 3 }), { shade: 3, strength: 3 });
  assert.deepEqual(shadeOf({ tier: 3, changeTier: -1 }), { shade: "faster", strength: 1 });
  assert.deepEqual(shadeOf({ tier: 0, changeTier: 2 }), { shade: "slower", strength: 2 });
  for (const changeTier of [0, null] as const) assert.deepEqual(shadeOf({ tier: 3, changeTier }), { shade: 0, strength: 0 });
});
