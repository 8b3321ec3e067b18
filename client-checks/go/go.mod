module petstore.clients/go

go 1.19
