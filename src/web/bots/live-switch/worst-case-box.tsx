import { worstCase } from '#engine/risk/worst-case.ts';
import { formatPnl, formatStake } from '../../ui/money.ts';
import type { BotChange } from '../use-bots.ts';

/** The most that the open trades of a bot can lose together, and what is counted. */
export function WorstCaseBox({ bot }: { bot: BotChange['bot'] }) {
  const { stake_currency: currency, stake_amount: stake, leverage } = bot;
  const isSpot = bot.margin_mode === 'spot';
  const { trades, atStops, whole } = worstCase({
    stake,
    slots: bot.max_open_trades,
    symbols: bot.trading_pairs.length,
    stoploss: bot.stoploss,
    marginMode: isSpot ? null : bot.leverage_mode,
  });
  const counted = `${trades === 1 ? 'the stake' : `all ${trades} stakes`} of ${formatStake(stake, currency)}`;
  return (
    <section className="live-worst fl-number" aria-label="Largest possible loss">
      <h3>Largest possible loss at once</h3>
      <p className="live-worst-lead fl-down">{whole === null ? 'all that the account holds' : formatPnl(-whole, currency)}</p>
      <dl>
        <div>
          <dt>{trades === 1 ? '1 trade at its stop' : `${trades} trades at their stops`}</dt>
          <dd>{formatPnl(-atStops, currency)}</dd>
        </div>
      </dl>
      <p className="live-worst-note">
        {whole === null
          ? `With cross margin the trades share the whole account. At the stops: ${counted}.`
          : `If ${counted} ${trades === 1 ? 'is' : 'are'} lost${isSpot || leverage === 1 ? '' : `; at ${leverage}x the stake is the margin, and an isolated position loses no more`}.`}{' '}
        A gap in the price can make a loss larger than the stop.
      </p>
    </section>
  );
}
