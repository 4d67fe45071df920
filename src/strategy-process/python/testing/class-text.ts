/** Parts of a class in Python, where it is not the usual one. */
export interface ClassParts {
  head?: string; // before the class
  fields?: string;
  populate?: string; // what its indicators do
  methods?: string;
}

/** The text of a class that enters every 50th candle and where the close is above its average of ten. */
export function classText(name: string, { head = '', fields = '', populate = 'pass', methods = '' }: ClassParts = {}): string {
  const inside = (text: string): string => text.replaceAll(/^(?=.)/gmu, '    ');
  return `import pandas
${head}

class ${name}:
    timeframe = "5m"
    stoploss = -0.1
    minimal_roi = {"0": 0.02}
${inside(fields)}

    def populate_indicators(self, dataframe, metadata):
        dataframe["average"] = dataframe["close"].rolling(10).mean()
${inside(inside(populate))}
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["close"] > dataframe["average"], ["enter_long", "enter_tag"]] = (1, "above")
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["close"] < dataframe["average"], "exit_long"] = 1
        return dataframe

${inside(methods)}
`;
}

/** Parameters as freqtrade declares them, without freqtrade: to stand before a class. */
export const parameterClasses = `class Parameter:
    def __init__(self, default, space, **more):
        self.value, self.space, self.optimize = default, space, True
        for name, each in more.items():
            setattr(self, name, each)

    def get_space(self, name):
        raise NotImplementedError()
`;
