import { ModeWords } from './mode-words.tsx';
import type { ModeName } from './venue.ts';
import { modeName } from './venue.ts';

/** See `ModeTag`. */
export interface ModeTagProps {
  mode: ModeName;
  exchangeId?: string | undefined; // when known
}

/** LIVE, TESTNET or PAPER as a small tag, where a band would be too much. */
export function ModeTag({ mode, exchangeId }: ModeTagProps) {
  return (
    <span className={`fl-tag fl-mode-${modeName(mode, exchangeId)}`}>
      <ModeWords mode={mode} exchangeId={exchangeId} size={11} />
    </span>
  );
}
