import { CardPanel } from '../../ui/card-panel.tsx';
import { LoadingRows } from '../../ui/skeleton.tsx';
import { DetailsMissing } from './details-missing.tsx';
import { defaultText, parameterTitle, rangeText } from '../../ui/parameter-text.ts';
import { seriesText } from '../series-text.ts';
import type { DetailsState, StrategyDetails } from './use-details.ts';

/** What the strategy itself works with, and which market makes it lose. */
export function ParametersSection({ state }: { state: DetailsState }) {
  const { details, isLoading } = state;
  return (
    <CardPanel title="Strategy Parameters" aside="a bot may have its own" flush>
      {details !== undefined ? (
        <Parameters details={details} />
      ) : isLoading ? (
        <LoadingRows label="Loading parameters" rows={3} height={48} />
      ) : (
        <DetailsMissing text="No parameters to show" reload={state.reload} minHeight={144} />
      )}
    </CardPanel>
  );
}

function Parameters({ details: { parameters, series, loses_when: losesWhen } }: { details: StrategyDetails }) {
  return (
    <>
      {parameters.length === 0 ? (
        <p className="strategy-no-parameters">It has no parameters.</p>
      ) : (
        <ul className="strategy-parameters" aria-label="Parameters">
          {parameters.map((parameter) => (
            <li key={parameter.name}>
              <h3 title={parameter.name}>{parameterTitle(parameter.name)}</h3>
              <span className="fl-number">{defaultText(parameter)}</span>
              <p className="strategy-hint">{`${parameter.meaning} ${rangeText(parameter)}`.trim()}</p>
            </li>
          ))}
        </ul>
      )}
      {series.length === 0 ? null : (
        <div className="strategy-loses">
          <h3>What It Reads Besides</h3>
          <p>{seriesText(series)}</p>
        </div>
      )}
      {losesWhen === '' ? null : (
        <div className="strategy-loses">
          <h3>When It Loses</h3>
          <p>{losesWhen}</p>
        </div>
      )}
    </>
  );
}
