import type { ReactNode } from 'react';

/** See `CardPanel`. */
export interface CardPanelProps {
  title: string;
  aside?: ReactNode; // to the right of the title
  flush?: boolean; // no room around the content
  children: ReactNode;
}

/** A rounded panel with a title, the ground of every chart and table. */
export function CardPanel({ title, aside, flush = false, children }: CardPanelProps) {
  return (
    <section className="fl-panel" aria-label={title}>
      <header className="fl-panel-head">
        <h2>{title}</h2>
        {aside === undefined ? null : <div className="fl-panel-aside">{aside}</div>}
      </header>
      <div className={flush ? 'fl-panel-body fl-panel-flush' : 'fl-panel-body'}>{children}</div>
    </section>
  );
}
