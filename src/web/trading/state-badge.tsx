import type { TradingStep } from './trading-words.ts';

const looks: Readonly<Record<TradingStep, string>> = {
  active: 'active',
  reducing: 'paused',
  halted: 'stopped trading-halted',
  closing: 'stopped trading-halted',
  closed: 'stopped trading-halted',
};

const words: Readonly<Partial<Record<TradingStep, string>>> = { closing: 'closing all', closed: 'all closed' };

/** A state of the kill switch: a word with a mark of its own shape. */
export function StateBadge({ state }: { state: TradingStep }) {
  return (
    <span className={`fl-status fl-status-${looks[state]}`}>
      <span className="fl-status-mark" aria-hidden />
      {words[state] ?? state}
    </span>
  );
}
