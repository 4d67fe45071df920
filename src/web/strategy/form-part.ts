import type { FieldName, StrategyFields } from './strategy-fields.ts';

/** What every section of the form is given. */
export interface FormPart {
  loaded: StrategyFields;
  shown: StrategyFields;
  changed: ReadonlySet<FieldName>; // with a pending change
  issue: { field: string; text: string } | null; // the check that failed
  readOnly: boolean; // for everybody but admins
  isBusy: boolean;
  onChange: <Name extends FieldName>(name: Name, value: StrategyFields[Name]) => void;
}
