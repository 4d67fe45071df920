/** Why trades end, by the engine's names. */
const words: Readonly<Record<string, string>> = {
  roi: 'profit target',
  risk_reward: 'risk-reward target',
  stop_loss: 'stop loss',
  trailing_stop_loss: 'trailing stop',
  liquidation: 'liquidated',
  exit_signal: 'exit signal',
  custom_exit: 'exit of the strategy',
  emergency_exit: 'emergency exit, the stop failed',
  partial_exit: 'partial exit',
  too_small_to_sell: 'rest too small to sell',
  stoploss_on_exchange: 'stop loss at the exchange',
  sold_on_exchange: 'sold outside the bot',
  manual_partial_exit: 'part taken out by hand',
};

/** Why a trade of a bot ended, in words; any other name is that of a signal of its strategy. */
export function exitWords(reason: string): string {
  return reason === 'force_exit' ? 'closed by hand' : (words[reason] ?? (reason === '' ? '' : `signal: ${tagWords(reason)}`));
}

/** Why a trade of a backtest ended: nobody closes one by hand, what is open at the end is closed there. */
export function testedExitWords(reason: string): string {
  return reason === 'force_exit' ? 'end of the test' : exitWords(reason);
}

/** The name that a strategy gives a signal, as words: 'cross down'. */
export function tagWords(tag: string): string {
  if (tag === 'manual') return 'by hand';
  return tag.replaceAll(/[-_]+/gu, ' ').trim();
}
