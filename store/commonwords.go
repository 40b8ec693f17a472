package store

import "strings"

// commonWords are words of English, of programs and of failed tests by the share of texts that have them, as an
// order of magnitude. What a memory holds counts more as it grows.
var commonWords = map[float64][]string{
	0.5: strings.Fields(`the a an of to and in is for with on 0 it that this as by from be or not if at are we you i`),
	0.3: strings.Fields(`error test tests assert file line return self def func none true false nil err when all can has have
		was will which so use used using after before only into than then no do does but its one each should must there our your
		1 2 s e t py go value name none`),
	0.1: strings.Fields(`add fix make write change update remove new get set call code function method class type data string
		object list number user page show run expected got actual want fail failed failure failures traceback recent last most
		import int str len print out over every any more other also how what where my me their they would could been being up
		without between through both same such old first two int text path python module raise exception typeerror valueerror
		assertionerror keyerror`),
}
