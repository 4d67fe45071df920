import { Fact } from '../../ui/fact.tsx';
import { formatStake } from '../../ui/money.ts';
import { marketNote } from '../../ui/venue.ts';
import { FreeBalanceFact } from './free-balance.tsx';
import type { BotChange } from '../use-bots.ts';
import type { LiveCheck } from './use-live-check.ts';

/** See `SwitchFacts`. */
export interface SwitchFactsProps {
  bot: BotChange['bot'];
  exchangeName: string;
  check: LiveCheck | undefined; // undefined while not loaded
  savesKey: boolean; // a new one is saved before the change
  changesAccount: boolean; // another exchange, market type or stake currency is
}

/** Which bot will trade, with which account and how much. */
export function SwitchFacts({ bot, exchangeName, check, savesKey, changesAccount }: SwitchFactsProps) {
  const key = check?.key;
  return (
    <dl className="live-facts fl-number">
      <Fact name="Bot">{bot.nickname}</Fact>
      <Fact name="Mode">Paper → Live</Fact>
      <Fact name="Exchange">
        {exchangeName}
        {marketNote(bot.exchange_id)}
      </Fact>
      <Fact name="API key">
        {savesKey
          ? 'the one you have entered'
          : check === undefined
            ? '...'
            : key === null || key === undefined
              ? 'none'
              : `${key.label ?? 'without a label'} ****${key.hint}`}
      </Fact>
      <Fact name="Free balance" isLive>
        <FreeBalanceFact bot={bot} check={check} savesKey={savesKey} changesAccount={changesAccount} />
      </Fact>
      <Fact name="Stake">
        {formatStake(bot.stake_amount, bot.stake_currency)} per trade, max {bot.max_open_trades} open{' '}
        {bot.max_open_trades === 1 ? 'trade' : 'trades'}
      </Fact>
    </dl>
  );
}
