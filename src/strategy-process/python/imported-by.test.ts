import { expect, test } from 'vitest';
import { importedBy } from './imported-by.ts';

test('what texts import is loaded before they are, but for one another', () => {
  const main = `import pandas as pd, numpy
from freqtrade.strategy import (IStrategy,
    IntParameter)
import talib.abstract as ta  # indicators
from lines import far
from . import other
    import inside
text = "import nothing"
`;
  expect(importedBy({ 'Mine.py': 'import lines\nimport parts.far\nimport numpy\n' }, ['lines.py', 'parts', 'notes.txt'])).toEqual([
    'numpy',
  ]);
  expect(importedBy({ 'Mine.py': main, 'lines.py': 'import math\n' })).toEqual([
    'freqtrade.strategy',
    'math',
    'numpy',
    'pandas',
    'talib.abstract',
  ]);
});
