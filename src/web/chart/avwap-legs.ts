import type { Overlays } from './chart-data.ts';

type LinePoints = { time: number; value: number }[];

/**
 * The average anchored VWAP as two lines: before its second anchor, and from it on. It is another line there, so the jump
 * between them is not drawn. Without known anchors it is one line.
 */
export function avwapLegs({ avwap, avwap_anchors: anchors = [] }: Overlays): { before: LinePoints; after: LinePoints } {
  const second = anchors[1] ?? -Infinity;
  const points = avwap.map(({ timestamp, value }) => ({ time: timestamp, value }));
  return { before: points.filter(({ time }) => time < second), after: points.filter(({ time }) => time >= second) };
}
