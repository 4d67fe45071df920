import type { CallReply } from '#contract/client.ts';
import { Button } from '../ui/button.tsx';
import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import { ModeTag } from '../ui/mode-tag.tsx';
import { LoadingRows } from '../ui/skeleton.tsx';
import { StatusBadge } from '../ui/status-badge.tsx';

/** The bots of a strategy that the person may see. */
export type StrategyBots = CallReply<'strategyBots'>['bots'];

/** See `BotsSection`. */
export interface BotsSectionProps {
  bots: StrategyBots | undefined;
  isLoading: boolean;
  reload: () => void;
}

/** Who uses a strategy. */
export function BotsSection({ bots, isLoading, reload }: BotsSectionProps) {
  return (
    <CardPanel title="Used By" aside={bots === undefined ? '' : botCount(bots)} flush>
      {bots === undefined ? (
        isLoading ? (
          <LoadingRows label="Loading bots" rows={3} height={30} />
        ) : (
          <EmptyState
            text="No bots to show"
            hint="They could not be loaded."
            action={
              <Button variant="secondary" onClick={reload}>
                Try Again
              </Button>
            }
          />
        )
      ) : bots.length === 0 ? (
        <EmptyState text="No bots use this strategy" hint="A change reaches nobody until one does." />
      ) : (
        <ul className="strategy-bots" aria-label="Bots" tabIndex={0}>
          {bots.map(({ id, nickname, mode, status, exchange_id: exchangeId, trading_pairs: pairs }) => (
            <li key={id} title={pairs.join(', ')}>
              <b>{nickname}</b>
              <ModeTag mode={mode} exchangeId={exchangeId} />
              <StatusBadge status={status} />
            </li>
          ))}
        </ul>
      )}
    </CardPanel>
  );
}

/** '3 bots, 1 live'. */
export function botCount(bots: StrategyBots): string {
  const live = bots.filter(({ mode }) => mode === 'live').length;
  return `${bots.length} ${bots.length === 1 ? 'bot' : 'bots'}${live === 0 ? '' : `, ${live} live`}`;
}
