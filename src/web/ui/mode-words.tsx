import { IconBolt, IconFlask } from '@tabler/icons-react';
import type { Bot } from '#contract/bots.ts';
import { venueName } from './venue.ts';

/** See `ModeWords`. */
export interface ModeWordsProps {
  mode: Bot['mode'];
  exchangeId?: string | undefined; // when known: the sandbox and test networks are named
  size: number; // of the icon, px
}

/** The one mark that distinguishes live from paper, everywhere: a bolt and LIVE, or a flask and PAPER; live without real money names its venue. */
export function ModeWords({ mode, exchangeId, size }: ModeWordsProps) {
  const Icon = mode === 'live' ? IconBolt : IconFlask;
  const venue = mode === 'live' ? venueName(exchangeId) : null;
  return (
    <>
      <Icon size={size} aria-hidden />
      <strong>{mode}</strong>
      {venue === null ? null : <span className="fl-mode-venue">{venue}</span>}
    </>
  );
}
