module runner

go 1.24
