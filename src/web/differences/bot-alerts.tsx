import './differences.css';
import type { ReactNode } from 'react';
import { useState } from 'react';
import { useAddressValue } from '../address/address.ts';
import { Decide } from './decide.tsx';
import { DifferencePanel } from './difference-panel.tsx';
import { UnprotectedStrip } from './unprotected-strip.tsx';
import type { Choice, Difference } from '../live/use-differences.ts';
import { useDifferences } from '../live/use-differences.ts';
import type { TradingSwitch } from '../live/use-trading-state.ts';

/**
 * What has to be decided about the account of the bot that the address names: positions without a stop, and below them where the
 * account differs from the trades. `reArmOf` lets the bot of a switch enter again.
 */
export function BotAlerts({ reArmOf }: { reArmOf: (of: TradingSwitch) => ReactNode }) {
  const botId = useAddressValue('bot');
  const { found, reload } = useDifferences();
  // The dialog stays when its difference has ended: it says how that went.
  const [asked, setAsked] = useState<{ difference: Difference; how: Choice['how'] } | null>(null);
  const ofBot = <Each extends { bot_id: string }>(all: readonly Each[] = []): Each[] => all.filter((each) => each.bot_id === botId);
  const bare = ofBot(found?.unprotected);
  return (
    <>
      {bare.length === 0 ? null : (
        <div className="differences-strips">
          {bare.map((trade) => (
            <UnprotectedStrip key={trade.trade_id} trade={trade} onAsked={reload} />
          ))}
        </div>
      )}
      {ofBot(found?.open).map((difference) => (
        <DifferencePanel key={difference.id} difference={difference} onChoose={(how) => setAsked({ difference, how })} />
      ))}
      {asked === null ? null : <Decide {...asked} reload={reload} reArmOf={reArmOf} onClose={() => setAsked(null)} />}
    </>
  );
}
