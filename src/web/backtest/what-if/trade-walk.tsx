import { ActionIcon } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import type { DrawnTrade } from '../../chart/replay-trades.ts';
import type { Walk } from './drawn-trades.ts';

/** See `TradeWalk`. */
export interface TradeWalkProps {
  walk: Walk;
  chosen: DrawnTrade | null;
  onChoose: (trade: DrawnTrade) => void;
}

/** Brings one trade after the other into sight, the newest first: those that differ where there are some. */
export function TradeWalk({ walk: { of, trades }, chosen, onChoose }: TradeWalkProps) {
  const at = chosen === null ? trades.length : trades.indexOf(chosen);
  const [earlier, later] = [trades[at - 1], chosen === null ? undefined : trades[at + 1]];
  const step = (to: DrawnTrade | undefined, label: string, Icon: typeof IconChevronLeft) => (
    <ActionIcon
      variant="default"
      size="sm"
      aria-label={`${label} ${of}`}
      disabled={to === undefined}
      onClick={() => (to === undefined ? undefined : onChoose(to))}
    >
      <Icon size={14} aria-hidden />
    </ActionIcon>
  );
  return (
    <span className="wi-walk">
      {step(earlier, 'Earlier', IconChevronLeft)}
      <span className="fl-number" role="status">
        {chosen === null ? count(trades.length, of) : `${of} ${at + 1} of ${trades.length}`}
      </span>
      {step(later, 'Later', IconChevronRight)}
    </span>
  );
}

function count(many: number, of: Walk['of']): string {
  return many === 1 ? `1 ${of}` : `${many} ${of}s`;
}
