import type { ComponentProps } from 'react';
import { BacktestOfBot } from '../bots/backtest-of-bot.tsx';
import { BotsScreen } from '../bots/bots-screen.tsx';
import { BotDifferences } from '../differences/bot-differences.tsx';
import { FirstSteps } from '../fleet/first-steps.tsx';
import { BotLimits } from '../limits/bot-limits.tsx';
import { BotAccount } from '../live-accounts/bot-account.tsx';
import { PairLocks } from '../pair-locks/pair-locks.tsx';
import { openBacktestOfBot } from './backtest-of-bot.ts';
import { makeFirstBot } from './first-bot.ts';
import { openWhereAsked } from './where-asked.ts';
import { BotSwitch } from '../trading/bot-switch.tsx';

/** The Bots tab: the bots, and below the settings of one its kill switch, its limits and how its account stands. */
export function BotsTab() {
  return (
    <div className="shell-stack">
      <BacktestOfBot value={openBacktestOfBot}>
        <BotsScreen firstSteps={<FirstSteps onFirstBot={() => void openWhereAsked(makeFirstBot)} />} tradingOf={tradingOf} />
      </BacktestOfBot>
    </div>
  );
}

const tradingOf: ComponentProps<typeof BotsScreen>['tradingOf'] = ({ id, nickname, user_id: ownerId, mode }) => (
  <>
    <BotSwitch id={id} nickname={nickname} ownerId={ownerId} />
    <PairLocks botId={id} ownerId={ownerId} />
    <BotLimits id={id} ownerId={ownerId} isPaper={mode === 'paper'} />
    {mode === 'paper' ? null : (
      <>
        <BotAccount botId={id} />
        <BotDifferences botId={id} />
      </>
    )}
  </>
);
