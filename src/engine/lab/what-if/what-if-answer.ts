import type { WhatIfReport } from './what-if-report.ts';

/** What a server answers to a replay with changes. */
export type WhatIfAnswer =
  | { state: 'done'; report: WhatIfReport; tookMs: number }
  | { state: 'downloading'; ready: number; pairs: number }
  | { state: 'unavailable'; why: string } // a sentence
  | { state: 'overtaken' }; // by a newer question of the same person
