import { CardPanel } from '../ui/card-panel.tsx';
import { EmptyState } from '../ui/empty-state.tsx';
import type { BacktestDetails } from './run-list.ts';

/** What became of every signal to enter: entered, or refused by which gate and why. */
export function SignalCounts({ entries }: { entries: NonNullable<BacktestDetails['entries']> }) {
  return (
    <CardPanel title="Signals" aside={<span>each candle with a signal once</span>} flush>
      {entries.signals === 0 ? (
        <EmptyState text="The strategy gave no signal to enter." />
      ) : (
        <div className="bt-sets">
          <table className="bt-metrics bt-signals fl-number" aria-label="Signals">
            <thead>
              <tr>
                <th scope="col">Outcome</th>
                <th scope="col">Signals</th>
              </tr>
            </thead>
            <tbody>
              <tr>
                <th scope="row">
                  Entered
                  {entries.unfilled > 0 ? <span className="bt-reason">{unfilledText(entries.unfilled)}</span> : null}
                </th>
                <td>{entries.entered}</td>
              </tr>
              {entries.refused.map(({ gate, name, count, reason }) => (
                <tr key={gate}>
                  <th scope="row">
                    {name}
                    <span className="bt-reason">{reason}</span>
                  </th>
                  <td>{count}</td>
                </tr>
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row">All signals</th>
                <td>{entries.signals}</td>
              </tr>
            </tfoot>
          </table>
        </div>
      )}
    </CardPanel>
  );
}

function unfilledText(count: number): string {
  return count === 1 ? '1 order never filled' : `${count} orders never filled`;
}
