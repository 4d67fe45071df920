import type { importSources } from '#contract/fields.ts';
import { IconHistory } from '@tabler/icons-react';

/** Says that a trade was made by another program and counts as history; nothing where the bot has made it. */
export function ImportedMark({ from }: { from: (typeof importSources)[number] | null | undefined }) {
  if (from === null || from === undefined) return null;
  return (
    <span className="fl-imported" title={`Made by ${from}. It counts in the figures of the bot, and not in its balance.`}>
      <IconHistory size={13} aria-hidden />
      Imported
    </span>
  );
}
