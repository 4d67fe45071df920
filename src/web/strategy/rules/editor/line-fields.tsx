import type { Line } from '#engine/rules/document.ts';
import { indicatorNames, rulesIndicator } from '#engine/rules/indicator-table.ts';
import { priceNames } from '#engine/rules/lines.ts';
import { price } from '#engine/rules/pieces.ts';
import { SelectBox } from '../../../ui/select-box.tsx';
import type { LineKind } from '../edit/operand-kinds.ts';
import { kindOf, lineOfKind } from '../edit/operand-kinds.ts';
import { withPiece } from '../edit/pieces-at.ts';
import { AmountField } from './amount-field.tsx';
import { useRulesEditor } from './rules-editor.ts';

/** How deep lines are offered to lie in each other: the average of an RSI of the highs. */
const deepest = 3;

/** The fields of a line: its numbers, which of its outputs, and the line it is computed from. */
export function LineFields({ path, line, depth }: { path: string; line: Line; depth: number }) {
  const { document, edit } = useRulesEditor();
  switch (line.kind) {
    case 'price':
      // Within another line the chooser of that names the prices.
      return depth > 0 ? null : (
        <SelectBox
          label="Which"
          options={priceNames}
          value={line.price}
          onChange={(next) => edit(withPiece(document, `${path}.price`, next), `${path} price`)}
        />
      );
    case 'highest':
    case 'lowest':
    case 'change':
      return (
        <>
          <AmountField label={line.kind === 'change' ? 'Over candles' : 'Of candles'} path={`${path}.candles`} isWhole least={1} />
          <SourceFields path={`${path}.of`} line={line.of} depth={depth + 1} />
        </>
      );
    case 'indicator': {
      const { settings, takesLine, outputs } = rulesIndicator(line.indicator);
      const names = Object.entries(outputs).map(([value, { title }]) => ({ value, label: title }));
      return (
        <>
          {Object.entries(settings).map(([name, { title, isWhole }]) => (
            <AmountField
              key={name}
              label={`${title.charAt(0).toUpperCase()}${title.slice(1)}`}
              path={`${path}.settings.${name}`}
              isWhole={isWhole}
              least={isWhole ? 1 : 0}
            />
          ))}
          {names.length < 2 ? null : (
            <SelectBox
              label="Line"
              options={names}
              value={line.output}
              onChange={(output) => edit(withPiece(document, `${path}.output`, output), `${path} output`)}
            />
          )}
          {takesLine ? <SourceFields path={`${path}.of`} line={line.of ?? price('close')} depth={depth + 1} isCloseImplied /> : null}
        </>
      );
    }
  }
}

/** The line another one is computed from; an indicator does not say that it is the close. */
function SourceFields({
  path,
  line,
  depth,
  isCloseImplied = false,
}: {
  path: string;
  line: Line;
  depth: number;
  isCloseImplied?: boolean;
}) {
  const { document, edit } = useRulesEditor();
  const prices = priceNames.map((name) => ({ value: `price:${name}` as LineKind, label: name }));
  const others: { value: LineKind; label: string }[] = [
    ...indicatorNames.map((name) => ({ value: `indicator:${name}` as const, label: rulesIndicator(name).title })),
    { value: 'highest', label: 'Highest of' },
    { value: 'lowest', label: 'Lowest of' },
    { value: 'change', label: 'Change of' },
  ];
  const kind = line.kind === 'price' ? `price:${line.price}` : kindOf(line);
  const options = depth < deepest || line.kind !== 'price' ? [...prices, ...others] : prices;
  return (
    <>
      <SelectBox
        label={depth === 1 ? 'Of' : `Of (${depth})`}
        searchable
        options={options}
        value={kind as LineKind}
        onChange={(next) => {
          const source = lineOfKind(line, next);
          edit(withPiece(document, path, isCloseImplied && next === 'price:close' ? undefined : source), `${path} kind`);
        }}
      />
      {line.kind === 'price' ? null : <LineFields path={path} line={line} depth={depth} />}
    </>
  );
}
