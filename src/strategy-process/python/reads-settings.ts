import type { SourceFiles } from '../wire/questions.ts';

const names = /\bconfig\b|\bself\s*\.\s*(?:stoploss|minimal_roi|trailing_\w+|stake_amount|max_open_trades|order_types)\b/u;

/** Whether texts may look at the settings of their bot: with others they would have to be loaded again. Rather once too often. */
export function readsSettings(files: SourceFiles): boolean {
  return Object.values(files).some((text) => names.test(text));
}
