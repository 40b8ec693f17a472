package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"caselsp/agent/fixcheck"

	"github.com/spf13/cobra"
)

func fixcheckNew() *cobra.Command {
	var language string
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a new validator with two sample claims into your folder",
		Long: `Writes a manifest, a script with comments, a claim that it accepts (good.json) and one that it refuses (bad.json)
into the folder validators/NAME beside your settings. They work as they are: change the error type in
the manifest, what the script looks at, and the samples. Nothing is overwritten.

--language is that of the code whose fixes are judged. The script is one of Python, which all sandboxes have.`,
		Example: "  caselsp fixcheck new missing-key\n  caselsp fixcheck new nil-map --language go",
		Args:    positional(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(fixcheck.TemplateLanguages(), language) {
				return usage(fmt.Errorf("--language is %q: write %s", language, strings.Join(fixcheck.TemplateLanguages(), ", ")))
			}
			if !fixcheck.ValidName(args[0]) {
				return usage(fmt.Errorf("the name is %q: write lower-case letters, digits, - and _, a letter first", args[0]))
			}
			dir, err := writeValidator(args[0], language)
			if err != nil {
				return err
			}
			fmt.Printf("written: %s\n\nNext:\n  1. In %s.yaml, name the errors whose fixes it judges.\n  2. In check.py, look at what a good fix of them must have changed.\n"+
				"  3. In good.json and bad.json, have a claim that is true, and one that is not.\n  4. Run `caselsp fixcheck test %s`, until both are ok.\n  5. It judges your tasks from now on, but its verdicts are only shown. Set auto_apply to true for them to count.\n\n`caselsp help fixcheck` has the fields of all three.\n",
				clean(dir), args[0], args[0])
			return nil
		},
	}
	cmd.Flags().StringVar(&language, "language", "python", strings.Join(fixcheck.TemplateLanguages(), ", "))
	return cmd
}

// writeValidator writes the files of a new validator and returns their folder. A folder that is there stays as it is.
func writeValidator(name, language string) (string, error) {
	files, err := fixcheck.New(name, language)
	if err != nil {
		return "", err
	}
	known := fixcheck.BuiltIn()
	for _, v := range fixcheck.ShippedValidators() {
		known = append(known, v.Manifest)
	}
	if slices.ContainsFunc(known, func(m fixcheck.Manifest) bool { return m.Name == name }) {
		return "", fmt.Errorf("%s is the name of a check that comes with caselsp, which yours would replace: choose another name", name)
	}
	above, err := userValidators()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(above, name)
	if err := os.MkdirAll(above, 0o700); err != nil {
		return "", err
	}
	if err := os.Mkdir(dir, 0o700); errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s is there already, and stays as it is: choose another name, or remove it first", dir)
	} else if err != nil {
		return "", err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(dir, f.Path), f.Data, 0o600); err != nil {
			return "", err
		}
	}
	return dir, nil
}
