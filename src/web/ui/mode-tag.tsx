import { IconTestPipe } from '@tabler/icons-react';
import type { Bot } from '#contract/bots.ts';
import { ModeWords } from './mode-words.tsx';

/** See `ModeTag`. */
export interface ModeTagProps {
  mode: Bot['mode'] | 'testnet'; // testnet: of figures of many bots, whose venues differ
  exchangeId?: string | undefined; // when known
}

/** LIVE or PAPER as a small tag, where a band would be too much. */
export function ModeTag({ mode, exchangeId }: ModeTagProps) {
  return (
    <span className={`fl-tag fl-mode-${mode}`}>
      {mode === 'testnet' ? (
        <>
          <IconTestPipe size={11} aria-hidden />
          {mode}
        </>
      ) : (
        <ModeWords mode={mode} exchangeId={exchangeId} size={11} />
      )}
    </span>
  );
}
