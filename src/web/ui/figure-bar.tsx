import type { ReactNode } from 'react';

/** One figure: what it is called, its value, and what belongs to it in small. */
export interface Figure {
  name: string;
  value: ReactNode;
  tone?: 'up' | 'down' | 'flat'; // of money
  isLead?: boolean; // the one that is read first
  note?: ReactNode;
}

/** Figures side by side, in two columns on a phone. `label` names them for screen readers. */
export function FigureBar({ label, figures }: { label: string; figures: readonly Figure[] }) {
  return (
    <dl className="fl-figures" aria-label={label}>
      {figures.map(({ name, value, tone = 'flat', isLead = false, note }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <b className={`fl-${tone}${isLead ? ' fl-lead' : ''}`}>{value}</b>
            {note === undefined ? null : <span>{note}</span>}
          </dd>
        </div>
      ))}
    </dl>
  );
}
