import type { RouteName } from '#contract/routes.ts';

/** Calls of the contract that are built later: to whom they are for they answer 501, whosever things are named. */
export const notBuiltYet: ReadonlySet<RouteName> = new Set(['reportPdf']);
