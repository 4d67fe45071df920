import type { SourceFiles } from '../wire/questions.ts';

/** Whether texts ask for trades or the wallet of a bot. */
export function readsAccount(files: SourceFiles): boolean {
  return Object.values(files).some((text) => /\.wallets\b|\b(?:Local)?Trade\s*\.\s*(?:get_|total_)/u.test(text));
}
