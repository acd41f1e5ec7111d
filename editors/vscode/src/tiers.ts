// How hot: three tiers, told apart by colour, by brightness and by the length of their bar.

/** From which percentage on a tier begins, coolest first. */
export type Thresholds = readonly [number, number, number];

export const DEFAULT_THRESHOLDS: Thresholds = [1, 5, 20];

/** Below all thresholds, or the tier. */
export type Tier = 0 | 1 | 2 | 3;

/** The tier of a share from 0 to 1. Thresholds out of order count from the hottest. */
export function tier(share: number, [warm, hot, hottest]: Thresholds): Tier {
  const percent = share * 100;
  return percent <= 0 ? 0 : percent >= hottest ? 3 : percent >= hot ? 2 : percent >= warm ? 1 : 0;
}

/**
 * Colours by tier, on dark and on light ground: of one sequence (yellow, orange, dark red) whose steps differ in brightness, so
 * that they are told apart without seeing red or green.
 */
export const COLOURS = {
  dark: ["#7f8794", "#f4d35e", "#f08c2e", "#ff5436"],
  light: ["#8a919c", "#c99700", "#c25700", "#8f1402"],
} as const;
