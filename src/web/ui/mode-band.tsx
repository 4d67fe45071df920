import type { Bot } from '#contract/bots.ts';
import { ModeWords } from './mode-words.tsx';
import { modeName, venueNote } from './venue.ts';

/** See `ModeBand`. */
export interface ModeBandProps {
  mode: Bot['mode'];
  exchangeId?: string | undefined; // when known: simulated markets and test networks are named
}

/** A coloured band that says whether orders are simulated or real, and on what kind of market. */
export function ModeBand({ mode, exchangeId }: ModeBandProps) {
  const note = venueNote(exchangeId);
  return (
    <p className={`fl-mode fl-mode-${modeName(mode, exchangeId)}`}>
      <ModeWords mode={mode} exchangeId={exchangeId} size={13} />
      <span>{mode === 'live' ? liveWords(note) : `simulated orders${note === null ? '' : `, ${note}`}`}</span>
    </p>
  );
}

function liveWords(note: string | null): string {
  return note === null ? 'real orders, real money' : `real orders, ${note}`;
}
