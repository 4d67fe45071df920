import { IconBolt, IconFlask, IconTestPipe } from '@tabler/icons-react';
import type { ModeName } from './venue.ts';
import { modeName, venueName } from './venue.ts';

/** See `ModeWords`. */
export interface ModeWordsProps {
  mode: ModeName;
  exchangeId?: string | undefined; // when known: live there without real money is testnet, and its venue is named
  size: number; // of the icon, px
}

const icons = { live: IconBolt, testnet: IconTestPipe, paper: IconFlask } as const;

/** The one mark that distinguishes the modes, everywhere: a bolt and LIVE, a tube and TESTNET with its venue, or a flask and PAPER. */
export function ModeWords({ mode, exchangeId, size }: ModeWordsProps) {
  const name = modeName(mode, exchangeId);
  const Icon = icons[name];
  const venue = name === 'testnet' ? venueName(exchangeId) : null;
  return (
    <>
      <Icon size={size} aria-hidden />
      <strong>{name}</strong>
      {venue === null ? null : <span className="fl-mode-venue">{venue}</span>}
    </>
  );
}
